import { loginPattern, nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readDirectoryAgain } from '../../data/company/directory.ts'
import links from '../../parts/button.module.css'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Page } from '../../parts/page.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { useCompanyTrail } from '../company/use-company-trail.ts'
import { PasswordAddress } from './password-address.tsx'
import { managedOf, type RoleChoice } from './person-change.ts'
import { RoleFields } from './role-fields.tsx'

const loginForm = new RegExp(loginPattern)

/** A new person, who chooses the password: no administrator knows it. */
export function NewPersonPage() {
  const t = useTexts()
  const queries = useQueryClient()
  const [login, setLogin] = useState('')
  const [name, setName] = useState('')
  const [choice, setChoice] = useState<RoleChoice>({ role: roles.member, managed: [] })
  const [isTried, setIsTried] = useState(false)
  const invite = useMutation({
    mutationFn: () =>
      api.call(allRoutes.inviteUser, {
        body: {
          login,
          ...(name.trim() !== '' && { display_name: name }),
          role: choice.role,
          managed_department_ids: managedOf(choice),
        },
      }),
    onSuccess: () => readDirectoryAgain(queries),
    gcTime: 0,
  })
  useCompanyTrail('people')
  const isLogin = loginForm.test(login)
  function send(): void {
    setIsTried(true)
    if (isLogin && !invite.isPending) invite.mutate()
  }
  if (invite.data) {
    const { user } = invite.data
    return (
      <Page title={t.people.invited}>
        <PasswordAddress made={invite.data} />
        <div className={styles.acts}>
          <Link to="/company/people/$uid" params={{ uid: user.id }} className={links.button}>
            {t.people.show}
          </Link>
          <Link to="/company/people" className={links.button}>
            {t.company.parts.people}
          </Link>
        </div>
      </Page>
    )
  }
  return (
    <Page title={t.people.invite}>
      <Form className={styles.form} onSubmit={send}>
        <Field
          label={t.signIn.login}
          help={t.people.loginHelp}
          error={isTried && !isLogin ? t.people.noLogin : undefined}
        >
          {(tied) => (
            <input
              {...tied}
              maxLength={64}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={login}
              onChange={(event) => setLogin(event.target.value)}
            />
          )}
        </Field>
        <Field label={t.people.name} help={t.people.nameHelp}>
          {(tied) => (
            <input
              {...tied}
              maxLength={nameMaxLength}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <RoleFields value={choice} onValue={setChoice} />
        {invite.error && <ErrorBox error={invite.error} />}
        <SubmitButton isBusy={invite.isPending}>{t.people.invite}</SubmitButton>
      </Form>
    </Page>
  )
}
