import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { isSignInMissing } from '../data/api/queries.ts'
import { ErrorBox } from '../parts/error-box.tsx'
import { ToneBox } from '../parts/tone-box.tsx'
import styles from '../screens/sign-in/sign-in.module.css'
import { SignInCard } from '../screens/sign-in/sign-in-card.tsx'
import { useOperatorTexts } from './texts/operator-texts.tsx'

const command = 'sandbox operator console'

/** How to sign in: a code of the command line is the only way. */
export function SignInPage({ fault }: { fault: unknown }) {
  const t = useOperatorTexts()
  return (
    <SignInCard product={t.product} title={t.signIn.title}>
      {fault !== undefined && <Fault fault={fault} />}
      <p>{t.signIn.how}</p>
      <pre className={styles.command}>{command}</pre>
    </SignInCard>
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
