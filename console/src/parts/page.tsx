import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import styles from './page.module.css'
import { TenantText } from './tenant-text.tsx'

interface Props {
  /** The title of the screen, for the head of the browser's window too. It may name a thing of a tenant. */
  title: string
  /** The same with parts that are not text, such as a state. */
  heading?: ReactNode
  /** One line below the title. */
  detail?: ReactNode
  actions?: ReactNode
  /** The name of the console, for the head of the window; that of tenants if left out. */
  product?: string
  children: ReactNode
}

let isFirst = true

/** A screen: one h1, which gets the focus after navigation, so that a screen reader says where the person is. */
export function Page({ title, heading, detail, actions, product, children }: Props) {
  const t = useTexts()
  const name = product ?? t.product
  const h1 = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${plainText(title)} · ${name}`
  }, [title, name])
  useEffect(() => {
    if (!isFirst) h1.current?.focus()
    isFirst = false
  }, [])
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.titles}>
          <h1 ref={h1} tabIndex={-1}>
            {heading ?? <TenantText text={title} />}
          </h1>
          {detail && <div className={styles.detail}>{detail}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
