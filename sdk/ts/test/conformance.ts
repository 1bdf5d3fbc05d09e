// Calls operations for a test of the server, which sends one command per line on the standard
// input. Answers each with a line: the error or the response.
import { createInterface } from "node:readline";
import { Slipway } from "slipway-sdk";

interface Command {
  url: string;
  key: string;
  preview: boolean;
  family: string;
  method: string;
  ids: string[];
  body?: unknown;
  file?: { type: string; bytes: string };
}

type Families = Record<string, Record<string, (...args: unknown[]) => PromiseLike<unknown>>>;

async function run(command: Command): Promise<unknown> {
  const slipway = new Slipway({ baseUrl: command.url, key: command.key });
  const families = (command.preview ? slipway.preview : slipway) as unknown as Families;
  const args: unknown[] = [...command.ids];
  if (command.file) args.push(new Blob([Buffer.from(command.file.bytes, "base64")], { type: command.file.type }));
  else if (command.body) args.push(command.body);
  const response = await families[command.family]![command.method]!(...args);
  if (!(response instanceof Response)) return response;
  const body = response.body?.getReader(); // a stream of events doesn't end
  await body?.read();
  await body?.cancel();
  return undefined;
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { response: await run(JSON.parse(line)) };
  } catch (e) {
    answer = { error: String(e) };
  }
  console.log(JSON.stringify(answer));
}
