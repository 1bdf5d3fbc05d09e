/** Parameters of all lists. */
export interface ListParams {
    /** Number of objects per page, from 1 to 100. Defaults to 100 when you iterate, and to 25 for one page. */
    limit?: number;
    /** Continue after this object. */
    starting_after?: string;
    /** Get the page of newer objects before this one. The list ends after this page. */
    ending_before?: string;
}
/** One page of a list. */
export interface Page<T> {
    /** The objects, newest first. */
    data: T[];
    /** Whether there are more objects in this direction. */
    has_more: boolean;
    /** Send it as starting_after to get older objects. */
    next_cursor: string | null;
    /** Send it as ending_before to get newer objects. */
    prev_cursor: string | null;
}
/** A list. Iterate over it to get all objects, or await it to get one page. */
export declare class List<T> implements AsyncIterable<T>, PromiseLike<Page<T>> {
    #private;
    constructor(query: ListParams, load: (query: ListParams) => Promise<Page<T>>);
    then<A = Page<T>, B = never>(resolve?: ((page: Page<T>) => A | PromiseLike<A>) | null, reject?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B>;
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
}
