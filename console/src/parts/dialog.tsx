import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { TenantText } from './tenant-text.tsx'

interface Props {
  /** It may name a thing of a tenant. */
  title: string
  children: ReactNode
  /** Absent: it cannot be closed without an answer. */
  onClose?: () => void
  /** Buttons at its foot. */
  foot?: ReactNode
}

/** A modal dialog while it is drawn. The browser keeps the focus in it and gives it back afterwards. */
export function Dialog({ title, children, onClose, foot }: Props) {
  const t = useTexts()
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <header className={styles.head}>
        <h2 id={titleId}>
          <TenantText text={title} />
        </h2>
        {onClose && (
          <Button kind="quiet" icon="close" label={t.close} onPress={onClose}>
            {null}
          </Button>
        )}
      </header>
      <div className={styles.body}>{children}</div>
      {foot && <footer className={styles.foot}>{foot}</footer>}
    </dialog>
  )
}
