import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { people, readDirectoryAgain } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { AddPerson } from '../company/add-person.tsx'
import styles from '../company/company.module.css'
import { managersOf, possibleManagers } from './managers-of.ts'

/** The people who manage a department. */
export function Managers({ departmentId }: { departmentId: string }) {
  const t = useTexts()
  const queries = useQueryClient()
  const everybody = useQuery(people)
  const change = useMutation({
    mutationFn: ({ person, managed }: { person: User; managed: string[] }) =>
      api.call(allRoutes.updateUser, {
        params: { id: person.id },
        // A role that somebody else has given meanwhile stays.
        body: {
          ...(person.role === roles.member && { role: roles.department_manager }),
          managed_department_ids: managed,
        },
      }),
    onSuccess: () => readDirectoryAgain(queries),
  })
  const add = (person: User) =>
    change.mutate({ person, managed: [...person.managed_department_ids, departmentId] })
  const remove = (person: User) =>
    change.mutate({ person, managed: person.managed_department_ids.filter((id) => id !== departmentId) })
  return (
    <section className={styles.part}>
      <h2>{t.departments.managers}</h2>
      <p className={styles.help}>{t.departments.managersWhy}</p>
      {change.error && <ErrorBox error={change.error} />}
      <Panel query={everybody}>
        {(all) => (
          <>
            <ul className={rows.list}>
              {managersOf(departmentId, all).map((person) => (
                <li key={person.id}>
                  <Link to="/company/people/$uid" params={{ uid: person.id }} className={styles.name}>
                    <TenantText text={person.display_name} />
                  </Link>
                  <Button
                    label={t.company.removeNamed(person.display_name)}
                    isBusy={change.isPending}
                    onPress={() => remove(person)}
                  >
                    {t.company.remove}
                  </Button>
                </li>
              ))}
            </ul>
            <AddPerson
              label={t.departments.addManager}
              people={possibleManagers(departmentId, all)}
              isBusy={change.isPending}
              onAdd={add}
            />
          </>
        )}
      </Panel>
    </section>
  )
}
