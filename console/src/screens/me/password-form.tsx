import { passwordMinLength } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { apiQuery } from '../../data/api/queries.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './me.module.css'

/** Changes the password. Nothing of it stays in the page afterwards. */
export function PasswordForm({ login }: { login: string }) {
  const t = useTexts()
  const queries = useQueryClient()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () => api.call(allRoutes.changePassword, { body: { current, password } }),
    onSuccess: () => {
      setCurrent('')
      setPassword('')
      return queries.invalidateQueries(apiQuery(allRoutes.listSignIns, {}))
    },
    meta: { isSignIn: true },
    gcTime: 0,
  })
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate()
      }}
    >
      {/* Tells password managers whose password it is. */}
      <input hidden readOnly autoComplete="username" value={login} />
      <Field label={t.me.currentPassword}>
        {(tied) => (
          <input
            {...tied}
            type="password"
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        )}
      </Field>
      <Field label={t.me.newPassword} help={t.me.passwordHelp}>
        {(tied) => (
          <input
            {...tied}
            type="password"
            autoComplete="new-password"
            required
            minLength={passwordMinLength}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      {change.error && <ErrorBox error={change.error} />}
      {change.isSuccess && <p role="status">{t.me.passwordChanged}</p>}
      <SubmitButton isBusy={change.isPending}>{t.me.changePassword}</SubmitButton>
    </form>
  )
}
