import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'

type Pages = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>

/** The next page of a list, as long as there is one. */
export function MoreButton({ query }: { query: Pages }) {
  const t = useTexts()
  if (!query.hasNextPage) return null
  return (
    <div>
      <Button isBusy={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
        {t.more}
      </Button>
    </div>
  )
}
