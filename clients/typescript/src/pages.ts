import type { CallOptions, Lukasa } from "./client.js";
import type { Operations } from "./operations.js";

/** Paged are the operations that answer in pages. */
type Paged = { [N in keyof Operations]: Operations[N]["answer"] extends { next: string | null } ? N : never }[keyof Operations];

/** Element is what an operation's pages have in their list. */
type Element<A> = { [K in keyof A]: A[K] extends readonly (infer E)[] ? E : never }[keyof A];

/** Pages are the elements of operations that answer in pages, by name. */
export type Pages = { [N in Paged]: Element<Operations[N]["answer"]> };

/** pagesOf asks for one page after the other, each when it is needed. */
export async function* pagesOf<N extends Paged>(client: Lukasa, name: N, input: Operations[N]["input"], options: CallOptions): AsyncGenerator<Pages[N], void, void> {
  let after: string | undefined = (input as { after?: string }).after;
  for (;;) {
    const asked = (after === undefined ? input : { ...input, after }) as Operations[N]["input"];
    const page = (await client.call(name, asked, options)) as unknown as { next: string | null; [list: string]: unknown };
    for (const list of Object.values(page)) {
      if (Array.isArray(list)) yield* list as Pages[N][];
    }
    if (page.next === null) return;
    after = page.next;
  }
}
