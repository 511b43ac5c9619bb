import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import styles from './copy-field.module.css'

/** A text that a person takes elsewhere. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const t = useTexts()
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(value).then(() => setIsCopied(true))
  return (
    <div className={styles.copy}>
      <input readOnly value={value} aria-label={label} onFocus={(event) => event.target.select()} />
      <Button icon={isCopied ? 'check' : 'copy'} onPress={() => void copy()}>
        {isCopied ? t.copied : t.copy}
      </Button>
    </div>
  )
}
