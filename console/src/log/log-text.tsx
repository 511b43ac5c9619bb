import { useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { LogClient } from './log-client.ts'
import styles from './log-view.module.css'

/** Lines from 0. */
export interface TextRange {
  first: number
  last: number
}

/** Lines of a log as plain text, for screen readers, the search of the browser and the clipboard. */
export function LogText({ log, range, onClose }: { log: LogClient; range: TextRange; onClose: () => void }) {
  const t = useTexts()
  const formats = useFormats()
  const [text, setText] = useState<string>()
  const [isCopied, setIsCopied] = useState(false)
  const { first, last } = range
  useEffect(() => {
    let isShown = true
    void log.ask({ about: 'text', first, last }).then((lines) => isShown && setText(lines))
    return () => {
      isShown = false
    }
  }, [log, first, last])

  async function copy() {
    await navigator.clipboard.writeText(text ?? '')
    setIsCopied(true)
  }

  const foot = (
    <Button icon="copy" onPress={() => void copy()}>
      {isCopied ? t.copied : t.copy}
    </Button>
  )
  return (
    <Dialog
      title={t.log.lines(formats.number(first + 1), formats.number(last + 1))}
      onClose={onClose}
      foot={foot}
    >
      <pre className={styles.plain} dir="ltr">
        {text ?? t.loading}
      </pre>
    </Dialog>
  )
}
