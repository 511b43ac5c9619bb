import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Instead of a screen whose code has failed. */
export function BrokenPage() {
  const t = useTexts()
  return (
    <Page title={t.broken.title}>
      <p>{t.broken.why}</p>
      <div>
        <Button icon="retry" onPress={() => location.reload()}>
          {t.broken.reload}
        </Button>
      </div>
    </Page>
  )
}
