import { type RoleName, roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { useQuery } from '@tanstack/react-query'
import { departments } from '../../data/company/directory.ts'
import { roleNameOf, roleNames } from '../../data/person/roles.ts'
import { CheckList } from '../../parts/check-list.tsx'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { RoleChoice } from './person-change.ts'

interface Props {
  value: RoleChoice
  onValue: (value: RoleChoice) => void
}

/** The role of a person, and the departments that a manager of departments manages. */
export function RoleFields({ value, onValue }: Props) {
  const t = useTexts()
  const name = roleNameOf(value.role)
  return (
    <>
      <Field label={t.people.role} help={name && t.people.roleHelps[name]}>
        {(tied) => (
          <select
            {...tied}
            value={name}
            onChange={(event) => onValue({ ...value, role: roles[event.target.value as RoleName] })}
          >
            {roleNames.map((each) => (
              <option key={each} value={each}>
                {t.people.roles[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {value.role === roles.department_manager && <ManagedFields value={value} onValue={onValue} />}
    </>
  )
}

function ManagedFields({ value, onValue }: Props) {
  const t = useTexts()
  const list = useQuery(departments)
  return (
    <Panel query={list} empty={(all) => all.length === 0 && t.departments.none}>
      {(all) => (
        <CheckList
          legend={t.people.manages}
          items={all.map(({ id, name: text }) => ({ id, text }))}
          chosen={value.managed}
          onChoose={(managed) => onValue({ ...value, managed })}
        />
      )}
    </Panel>
  )
}
