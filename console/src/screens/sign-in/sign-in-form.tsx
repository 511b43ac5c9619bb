import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { signInNeeded } from '../../data/api/sign-in-state.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { useNow } from '../../parts/now.ts'
import { useTexts } from '../../texts/texts.tsx'
import styles from './sign-in.module.css'

const secondMs = 1000

/** Login and password. It allows paste and password managers. */
export function SignInForm({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useTexts()
  const [limitedUntil, setLimitedUntil] = useState(0)
  const signIn = useMutation({
    mutationFn: (body: { username: string; password: string }) => api.call(allRoutes.createSignIn, { body }),
    onSuccess: () => {
      signInNeeded.set(false)
      onSignedIn()
    },
    onError: (error) => {
      const seconds = error instanceof ApiError && error.status === 429 ? error.retryAfterSeconds : null
      if (seconds !== null) setLimitedUntil(Date.now() + seconds * secondMs)
    },
    meta: { isSignIn: true },
  })
  const isWrong = signIn.error instanceof ApiError && signIn.error.status === 418
  const right = rightAddress(signIn.error)
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        const typed = new FormData(event.currentTarget)
        signIn.mutate({ username: textOf(typed, 'username'), password: textOf(typed, 'password') })
      }}
    >
      <Field label={t.signIn.login}>
        {(tied) => <input {...tied} name="username" autoComplete="username" autoCapitalize="none" required />}
      </Field>
      <Field label={t.signIn.password} error={isWrong ? t.signIn.wrong : undefined}>
        {(tied) => (
          <input {...tied} type="password" name="password" autoComplete="current-password" required />
        )}
      </Field>
      {limitedUntil > 0 && <Limited until={limitedUntil} />}
      {right !== undefined && (
        <p>
          {t.signIn.wrongAddress} <a href={right}>{right}</a>
        </p>
      )}
      {signIn.error && !isWrong && right === undefined && <ErrorBox error={signIn.error} />}
      <Button kind="filled" type="submit" isBusy={signIn.isPending}>
        {t.signIn.submit}
      </Button>
    </form>
  )
}

/** The address at which people sign in, after an attempt at another one. */
function rightAddress(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 'console_wrong_address') return undefined
  const { console_url: url } = error.detail as { console_url?: unknown }
  return typeof url === 'string' && /^https?:\/\//.test(url) ? url : undefined
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

function Limited({ until }: { until: number }) {
  const t = useTexts()
  const left = Math.ceil((until - useNow(secondMs)) / secondMs)
  return left > 0 ? <p role="status">{t.signIn.limited(left)}</p> : null
}
