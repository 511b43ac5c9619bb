import { Link } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Also the page of what the person may not see, which nothing distinguishes from what does not exist. */
export function NotFoundPage() {
  const t = useTexts()
  return (
    <Page title={t.notFound.title}>
      <p>{t.notFound.why}</p>
      <p>
        <Link to="/">{t.notFound.goHome}</Link>
      </p>
    </Page>
  )
}
