import { rowFilterMaxLength, rowFiltersMax } from '@sandbox-jobs/contract/limits.ts'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { useRef, useState } from 'react'
import { useAction } from '../../app/actions.ts'
import { Button } from '../../parts/button.tsx'
import { Form } from '../../parts/form.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type Condition, operandsOf, operatorsOf, partsOfCondition, textOfCondition } from './conditions.ts'
import styles from './rows.module.css'
import { ValueInput } from './value-input.tsx'

interface Props {
  table: CustomTable
  /** The conditions of the address. */
  filter: readonly string[]
  onChange: (filter: string[]) => void
}

/** The conditions that rows meet, and a further one to be added. */
export function RowFilters({ table, filter, onChange }: Props) {
  const t = useTexts()
  return (
    <search className={styles.filters} aria-label={t.tables.filters}>
      {filter.length > 0 && (
        <ul className={styles.conditions}>
          {filter.map((text, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two conditions may be the same
            <li key={at}>
              <Button icon="close" onPress={() => onChange(filter.toSpliced(at, 1))}>
                <span className="hidden">{t.tables.removeCondition}</span>
                <ConditionText text={text} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {filter.length < rowFiltersMax && (
        <NewCondition table={table} onAdd={(text) => onChange([...filter, text])} />
      )}
    </search>
  )
}

function ConditionText({ text }: { text: string }) {
  const t = useTexts().tables
  const { name, op, value } = partsOfCondition(text)
  const words: Partial<Record<string, string>> = t.operators
  const values: Partial<Record<string, string>> = t.presence
  return <TenantText text={`${name} ${words[op] ?? op} ${(op === 'is' && values[value]) || value}`} />
}

function NewCondition({ table, onAdd }: { table: CustomTable; onAdd: (text: string) => void }) {
  const t = useTexts().tables
  const first = useRef<HTMLSelectElement>(null)
  useAction('search', () => first.current?.focus())
  const operands = operandsOf(table)
  const [typed, setTyped] = useState<Partial<Condition>>({})
  const operand = operands.find(({ name }) => name === typed.name) ?? operands[0]
  if (operand === undefined) return null
  const { name, type } = operand
  const operators = operatorsOf(type)
  const op = operators.find((each) => each === typed.op) ?? operators[0] ?? 'is'
  const value = typed.value ?? (op === 'is' ? 'not_null' : type === 'boolean' ? 'true' : '')
  const text = textOfCondition({ name, op, value }, type)
  function add(): void {
    if (value === '' || text.length > rowFilterMaxLength) return
    onAdd(text)
    setTyped({ name, op })
  }
  return (
    <Form className={styles.condition} onSubmit={add}>
      <select
        ref={first}
        aria-label={t.field}
        value={name}
        onChange={(event) => setTyped({ name: event.target.value })}
      >
        {operands.map((each) => (
          <option key={each.name}>{each.name}</option>
        ))}
      </select>
      <select
        aria-label={t.comparison}
        value={op}
        onChange={(event) => setTyped({ name, op: event.target.value as Condition['op'] })}
      >
        {operators.map((each) => (
          <option key={each} value={each}>
            {t.operators[each]}
          </option>
        ))}
      </select>
      <ValueInput type={type} op={op} value={value} onValue={(next) => setTyped({ name, op, value: next })} />
      <Button type="submit" icon="filter">
        {t.addCondition}
      </Button>
    </Form>
  )
}
