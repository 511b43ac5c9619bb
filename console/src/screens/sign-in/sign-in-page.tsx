import { useNavigate, useSearch } from '@tanstack/react-router'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ProviderLink } from './provider-link.tsx'
import styles from './sign-in.module.css'
import { SignInCard } from './sign-in-card.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** The first page of a person who is not signed in. On plain HTTP it says how to get to a safe address. */
export function SignInPage() {
  const t = useTexts()
  const { return: after = '/', problem } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  return (
    <SignInCard
      product={t.product}
      title={t.signIn.title}
      heading={isSecureContext ? t.signIn.title : t.signIn.needsHttps}
    >
      {isSecureContext ? (
        <>
          {problem && (
            <ToneBox tone="danger" icon="warning" role="alert">
              <p>{t.signIn.problems[problem]}</p>
            </ToneBox>
          )}
          <SignInForm onSignedIn={() => void navigate({ to: after, replace: true })} />
          <ProviderLink after={after} />
          <p className={styles.help}>{t.signIn.noLogin}</p>
        </>
      ) : (
        <NeedsHttps />
      )}
    </SignInCard>
  )
}

function NeedsHttps() {
  const t = useTexts()
  const port = location.port || '80'
  return (
    <>
      <p>{t.signIn.needsHttpsWhy}</p>
      <pre className={styles.command}>{`ssh -L ${port}:127.0.0.1:${port} ${location.hostname}`}</pre>
      <a href={`http://localhost:${port}/console/`}>{`http://localhost:${port}/console/`}</a>
    </>
  )
}
