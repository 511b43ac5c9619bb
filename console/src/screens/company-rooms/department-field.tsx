import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { Department } from '@sandbox-jobs/contract/resources/companies/department.ts'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  departments: readonly Department[]
  value: string
  onValue: (id: string) => void
  help?: string | undefined
}

/** The department of a room. */
export function DepartmentField({ departments, value, onValue, help }: Props) {
  const t = useTexts()
  return (
    <Field label={t.companyRooms.department} help={help}>
      {(tied) => (
        <select {...tied} value={value} onChange={(event) => onValue(event.target.value)}>
          {departments.map(({ id, name }) => (
            <option key={id} value={id}>
              {plainText(name)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
