import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { rowMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../data/api/api.ts'
import { replaceRow, rowOf } from '../../data/authoring/tables.ts'
import { InputForm, type InputFormHandle } from '../../form/input-form.tsx'
import type { Json } from '../../form/json.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { changesOf, rebased, schemaOfFields } from './row-values.ts'
import styles from './rows.module.css'

interface Props {
  table: CustomTable
  row: TableRow
  onChanged: () => void
}

const isRowChanged = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'custom_table_row_changed'

/** The values of a row. Changes that somebody else has made meanwhile are not overwritten. */
export function ChangeRowForm({ table: { id, fields }, row, onChanged }: Props) {
  const t = useTexts().tables
  const queries = useQueryClient()
  /** The row as it was read when the form began. */
  const [base, setBase] = useState(row)
  const [typed, setTyped] = useState<Json | undefined>(row.values as Json)
  /** Fields that somebody else has changed. */
  const [others, setOthers] = useState<string[]>()
  const form = useRef<InputFormHandle>(null)
  const change = useMutation({
    mutationFn: (values: Record<string, unknown>) =>
      api.call(allRoutes.updateRow, {
        params: { id, rid: base.id },
        body: { values, version: base.version },
      }),
    onSuccess: (changed) => {
      replaceRow(queries, changed)
      onChanged()
    },
    onError: async (error) => {
      if (!isRowChanged(error)) return
      const now = await queries.fetchQuery(rowOf(id, base.id))
      setOthers(Object.keys(changesOf(fields, base.values, now.values)))
      setTyped(rebased(fields, { before: base.values, typed, now: now.values }))
      setBase(now)
    },
  })

  async function send(): Promise<void> {
    if (change.isPending || !(await form.current?.check())) return
    const values = changesOf(fields, base.values, typed)
    if (Object.keys(values).length > 0) change.mutate(values)
    else onChanged()
  }

  return (
    <Form className={styles.form} onSubmit={() => void send()}>
      {others && (
        <ToneBox tone="warning" icon="warning">
          <p role="status">{t.changedMeanwhile(others.join(', '))}</p>
        </ToneBox>
      )}
      <InputForm
        ref={form}
        maxBytes={rowMaxBytes}
        schema={schemaOfFields(fields, base.values)}
        value={typed}
        onValue={setTyped}
      />
      {change.error && !isRowChanged(change.error) && <ErrorBox error={change.error} />}
      <SubmitButton isBusy={change.isPending}>{t.save}</SubmitButton>
    </Form>
  )
}
