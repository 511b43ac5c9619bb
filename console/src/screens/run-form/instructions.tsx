import { lazy, Suspense } from 'react'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './run-form.module.css'

const MarkdownView = lazy(() => import('../../results/markdown-view.tsx'))

/** How to fill in the input, in the words of the author: Markdown, of which HTML, links and pictures stay text. */
export function Instructions({ text }: { text: string }) {
  const t = useTexts()
  const plain = (
    <p className={styles.instructions}>
      <TenantText text={text} />
    </p>
  )
  return (
    <section className={styles.part}>
      <h2>{t.form.instructions}</h2>
      <Suspense fallback={plain}>
        <MarkdownView text={text} keepsLines fallback={plain} />
      </Suspense>
    </section>
  )
}
