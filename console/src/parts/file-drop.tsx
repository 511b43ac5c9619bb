import { useState } from 'react'
import { Icon } from '../design/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './file-drop.module.css'

interface Props {
  label: string
  isMultiple?: boolean
  /** Names that the dialog of the browser offers first. */
  accept?: string
  onFiles: (files: readonly File[]) => void
}

/** Files, chosen or dropped. */
export function FileDrop({ label, isMultiple = false, accept, onFiles }: Props) {
  const t = useTexts()
  const [isOver, setIsOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      <label className={styles.choose}>
        <Icon name="upload" />
        {label}
        <input
          type="file"
          multiple={isMultiple}
          accept={accept}
          onChange={(event) => {
            onFiles([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
      </label>
      <span>{t.form.dropFiles}</span>
    </div>
  )
}
