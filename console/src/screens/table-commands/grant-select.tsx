import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { useQuery } from '@tanstack/react-query'
import { me } from '../../data/person/me.ts'
import { ownDepartments } from '../../data/person/owners.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { grantOf } from './command-draft.ts'

interface Props {
  /** As `scope:identifier`; empty: nobody yet. */
  value: string
  error: string | undefined
  onValue: (grant: string) => void
}

/** The people who may use a command: those of a room, of a department, or all of the company. */
export function GrantSelect({ value, error, onValue }: Props) {
  const t = useTexts()
  const { data: account } = useQuery(me)
  const { data: departments = [] } = useQuery(ownDepartments)
  const { data: rooms = [] } = useQuery(ownRooms)
  const groups = [
    {
      label: t.secrets.scopes.company,
      options: account ? [{ grant: grantOf('company', account.company_id), name: account.company_name }] : [],
    },
    {
      label: t.tables.departments,
      options: departments.map(({ id, name }) => ({ grant: grantOf('department', id), name })),
    },
    {
      label: t.rooms.title,
      options: rooms.map(({ id, name }) => ({ grant: grantOf('chatroom', id), name })),
    },
  ]
  const isListed = groups.some(({ options }) => options.some(({ grant }) => grant === value))
  return (
    <Field label={t.tables.granted} help={t.tables.grantedHelp} error={error}>
      {(tied) => (
        <select {...tied} value={value} onChange={(event) => onValue(event.target.value)}>
          <option value="">{t.company.choose}</option>
          {value !== '' && !isListed && <option value={value}>{t.tables.sameGrant}</option>}
          {groups.map(({ label, options }) => (
            <optgroup key={label} label={label}>
              {options.map(({ grant, name }) => (
                <option key={grant} value={grant}>
                  {plainText(name)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  )
}
