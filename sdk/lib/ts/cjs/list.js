"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.List = void 0;
/** A list. Iterate over it to get all objects, or await it to get one page. */
class List {
    #query;
    #load;
    constructor(query, load) {
        this.#query = query;
        this.#load = load;
    }
    then(resolve, reject) {
        return this.#load(this.#query).then(resolve, reject);
    }
    async *[Symbol.asyncIterator]() {
        let query = { limit: 100, ...this.#query };
        for (;;) {
            const page = await this.#load(query);
            yield* page.data;
            if (!page.next_cursor || query.ending_before)
                return;
            query = { ...query, starting_after: page.next_cursor };
        }
    }
}
exports.List = List;
