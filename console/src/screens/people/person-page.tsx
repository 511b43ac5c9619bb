import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { personOf } from '../../data/company/directory.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { useCompanyTrail } from '../company/use-company-trail.ts'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { PersonAccess } from './person-access.tsx'
import { PersonBadge } from './person-badge.tsx'
import { PersonForm } from './person-form.tsx'

/** One person of the company: name, role, and whether they may sign in. */
export function PersonPage() {
  const { uid } = useParams({ from: '/signed-in/company/people/$uid' })
  const person = useQuery(personOf(uid))
  useCompanyTrail('people')
  if (isNotFound(person.error)) return <NotFoundPage />
  const name = person.data?.display_name ?? ''
  return (
    <Page title={name}>
      <Panel query={person}>{(shown) => <Person key={shown.id} person={shown} />}</Panel>
    </Page>
  )
}

function Person({ person }: { person: User }) {
  const t = useTexts()
  return (
    <>
      <section className={styles.form}>
        <Facts>
          <Fact name={t.signIn.login}>
            <TenantText text={person.login} />
          </Fact>
          <Fact name={t.people.state}>
            <PersonBadge person={person} />
          </Fact>
          <Fact name={t.company.since}>
            <Moment at={person.created_at} />
          </Fact>
          <Fact name={t.company.id}>
            <IdText id={person.id} />
          </Fact>
        </Facts>
      </section>
      <PersonForm person={person} />
      <PersonAccess person={person} />
    </>
  )
}
