import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { people } from '../../data/company/directory.ts'
import links from '../../parts/button.module.css'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { CompanyPage } from '../company/company-page.tsx'
import { FilteredList } from '../company/filtered-list.tsx'
import { PersonBadge } from './person-badge.tsx'
import { useRoleName } from './use-role-name.ts'

/** Everybody of the company, for its administrators. */
export function PeoplePage() {
  const t = useTexts()
  const list = useQuery(people)
  return (
    <CompanyPage
      part="people"
      actions={
        <Link to="/company/people/new" className={links.button}>
          {t.people.invite}
        </Link>
      }
    >
      <Panel query={list} rows={6}>
        {(all) => (
          <FilteredList items={all} textOf={({ display_name, login }) => `${display_name} ${login}`}>
            {(shown) => <PeopleTable people={shown} />}
          </FilteredList>
        )}
      </Panel>
    </CompanyPage>
  )
}

function PeopleTable({ people: shown }: { people: readonly User[] }) {
  const t = useTexts()
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.people.name}</th>
          <th scope="col" className={styles.wide}>
            {t.signIn.login}
          </th>
          <th scope="col">{t.people.role}</th>
          <th scope="col">{t.people.state}</th>
          <th scope="col" className={styles.wide}>
            {t.company.since}
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((person) => (
          <PersonRow key={person.id} person={person} />
        ))}
      </tbody>
    </table>
  )
}

function PersonRow({ person }: { person: User }) {
  const roleName = useRoleName()
  return (
    <tr className={rowLink.row}>
      <td>
        <Link to="/company/people/$uid" params={{ uid: person.id }} className={rowLink.link}>
          <TenantText text={person.display_name} />
        </Link>
      </td>
      <td className={styles.wide}>
        <TenantText text={person.login} />
      </td>
      <td>{roleName(person.role)}</td>
      <td>
        <PersonBadge person={person} />
      </td>
      <td className={`${styles.wide} ${table.number}`}>
        <Moment at={person.created_at} />
      </td>
    </tr>
  )
}
