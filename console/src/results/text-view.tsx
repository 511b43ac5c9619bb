import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './results.module.css'

const MarkdownView = lazy(() => import('./markdown-view.tsx'))
const markdownMax = 256 * 1024

/** Text as it is, or as Markdown if the person wants. */
export function TextView({ text, startsAsMarkdown = false }: { text: string; startsAsMarkdown?: boolean }) {
  const t = useTexts().results
  const canBeMarkdown = text.length <= markdownMax
  const [isMarkdown, setIsMarkdown] = useState(startsAsMarkdown && canBeMarkdown)
  const plain = (
    <pre className={styles.text} dir="auto">
      {plainText(text)}
    </pre>
  )
  return (
    <div className={styles.section}>
      {canBeMarkdown && (
        <div className={styles.bar}>
          <Button kind="quiet" onPress={() => setIsMarkdown(!isMarkdown)}>
            {isMarkdown ? t.asText : t.asMarkdown}
          </Button>
        </div>
      )}
      {isMarkdown ? (
        <Suspense fallback={plain}>
          <MarkdownView text={text} fallback={plain} />
        </Suspense>
      ) : (
        plain
      )}
    </div>
  )
}
