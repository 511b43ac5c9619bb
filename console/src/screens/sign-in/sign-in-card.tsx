import { type ReactNode, useEffect } from 'react'
import styles from './sign-in.module.css'

interface Props {
  /** The name of the console. */
  product: string
  /** For the head of the browser's window, and above the card unless `heading` is there. */
  title: string
  heading?: string
  children: ReactNode
}

/** The page of somebody who is not signed in. */
export function SignInCard({ product, title, heading = title, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${product}`
  }, [title, product])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <header>
          <p className={styles.product}>{product}</p>
          <h1>{heading}</h1>
        </header>
        {children}
      </div>
    </main>
  )
}
