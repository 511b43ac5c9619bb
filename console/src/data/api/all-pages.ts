const pagesMax = 20
const pageSize = 100
/** Further items are left out. */
export const allMax = pagesMax * pageSize

export interface PageOf<T> {
  items: T[]
  next_page_token: string | null
}

/** The query of one page. */
export interface PageQuery {
  page_size: number
  page_token?: string
}

/** All items of a list that a person sees as a whole, of at most 2,000. */
export async function allPages<T>(read: (query: PageQuery) => Promise<PageOf<T>>): Promise<T[]> {
  const items: T[] = []
  let token: string | null = ''
  for (let pages = 0; pages < pagesMax && token !== null; pages++) {
    const page: PageOf<T> = await read({ page_size: pageSize, ...(token !== '' && { page_token: token }) })
    items.push(...page.items)
    token = page.next_page_token
  }
  return items
}
