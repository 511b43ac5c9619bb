import type { RequestParts } from '../../contract/client/request.ts'
import type { Operation } from './operation.ts'
import { type OperationName, operations } from './operations.ts'
import { call, type Transport } from './send.ts'

const offsetPageSize = 100

/** Every item of a list, page after page, as far as it is read. */
export async function* itemsOf(
  transport: Transport,
  name: OperationName,
  given: RequestParts = {},
): AsyncGenerator<unknown, void> {
  const { pages }: Operation = operations[name]
  if (pages === 'offset') yield* itemsByOffset(transport, name, given)
  let query = given.query ?? {}
  while (pages === 'token') {
    const page = (await call(transport, name, { ...given, query })) as {
      items: unknown[]
      next_page_token?: string | null
    }
    yield* page.items
    if (!page.next_page_token) return
    query = { ...query, page_token: page.next_page_token }
  }
}

async function* itemsByOffset(
  transport: Transport,
  name: OperationName,
  given: RequestParts,
): AsyncGenerator<unknown, void> {
  const limit = Number(given.query?.limit ?? offsetPageSize)
  for (let offset = Number(given.query?.offset ?? 0); ; offset += limit) {
    const items = (await call(transport, name, {
      ...given,
      query: { ...given.query, offset, limit },
    })) as unknown[]
    yield* items
    if (items.length < limit) return
  }
}
