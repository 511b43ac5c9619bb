import { useQuery } from '@tanstack/react-query'
import { me } from '../../data/person/me.ts'
import { hasRooms } from '../../data/person/roles.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { MailPart } from './mail-form.tsx'
import styles from './me.module.css'
import { PasswordForm } from './password-form.tsx'
import { SignInList } from './sign-in-list.tsx'

/** The person's own account: who they are, where they are signed in, their e-mails and their password. */
export function MePage() {
  const t = useTexts()
  const account = useQuery(me)
  return (
    <Page title={t.me.title}>
      <Panel query={account}>
        {(shown) => (
          <>
            <section className={styles.part}>
              <Facts>
                <Fact name={t.me.name}>
                  <TenantText text={shown.display_name} />
                </Fact>
                <Fact name={t.signIn.login}>
                  <TenantText text={shown.login} />
                </Fact>
                <Fact name={t.me.company}>
                  <TenantText text={shown.company_name} />
                </Fact>
              </Facts>
            </section>
            <section className={styles.part}>
              <h2>{t.me.signIns}</h2>
              <SignInList />
            </section>
            {hasRooms(shown.role) && (
              <section className={styles.part}>
                <h2>{t.me.mail}</h2>
                <MailPart />
              </section>
            )}
            {shown.has_password && (
              <section className={styles.part}>
                <h2>{t.me.changePassword}</h2>
                <PasswordForm login={shown.login} />
              </section>
            )}
          </>
        )}
      </Panel>
    </Page>
  )
}
