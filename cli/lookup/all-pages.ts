interface Page<T> {
  items: T[]
  next_page_token: string | null
}

/** More pages than any list should have: an endless list would otherwise never return. */
const pagesMax = 1000

/** Every item of a paged list of the service. */
export async function allPages<T>(
  read: (query: { page_size: number; page_token?: string }) => Promise<Page<T>>,
) {
  const items: T[] = []
  let token: string | null = null
  for (let page = 0; page < pagesMax; page += 1) {
    const answer: Page<T> = await read({ page_size: 100, ...(token === null ? {} : { page_token: token }) })
    items.push(...answer.items)
    token = answer.next_page_token
    if (token === null) break
  }
  return items
}
