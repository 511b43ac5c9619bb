import type { RowValues, TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  fields: readonly Pick<TableField, 'name'>[]
  values: RowValues
}

/** All values of a row, each as a whole. */
export function RowFacts({ fields, values }: Props) {
  const t = useTexts().tables
  return (
    <Facts>
      {fields.map(({ name }) => (
        <Fact key={name} name={name}>
          <TenantText text={textOf(values[name]) ?? t.noValue} />
        </Fact>
      ))}
    </Facts>
  )
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
