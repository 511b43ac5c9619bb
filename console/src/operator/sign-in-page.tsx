import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { useEffect } from 'react'
import { isSignInMissing } from '../data/api/queries.ts'
import { ErrorBox } from '../parts/error-box.tsx'
import { ToneBox } from '../parts/tone-box.tsx'
import styles from '../screens/sign-in/sign-in.module.css'
import { useOperatorTexts } from './texts/operator-texts.tsx'

const command = 'sandbox operator console'

/** How to sign in: a code of the command line is the only way. */
export function SignInPage({ fault }: { fault: unknown }) {
  const t = useOperatorTexts()
  useEffect(() => {
    document.title = `${t.signIn.title} · ${t.product}`
  }, [t])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <header>
          <p className={styles.product}>{t.product}</p>
          <h1>{t.signIn.title}</h1>
        </header>
        {fault !== undefined && <Fault fault={fault} />}
        <p>{t.signIn.how}</p>
        <pre className={styles.command}>{command}</pre>
      </div>
    </main>
  )
}

function Fault({ fault }: { fault: unknown }) {
  const t = useOperatorTexts()
  // A code of another form is refused like any body that is none.
  const isRefused = isSignInMissing(fault) || (fault instanceof ApiError && fault.status === 422)
  if (!isRefused) return <ErrorBox error={fault} />
  return (
    <ToneBox tone="danger" icon="alert" role="alert">
      {t.signIn.refused}
    </ToneBox>
  )
}
