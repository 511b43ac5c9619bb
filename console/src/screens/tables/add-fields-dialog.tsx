import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readTablesAgain } from '../../data/authoring/tables.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { areFieldsComplete, fieldsOfDrafts, withNewField } from './field-drafts.ts'
import { FieldRows } from './field-rows.tsx'

interface Props {
  table: CustomTable
  onClose: () => void
}

/** Further fields of a table, which come after the others. */
export function AddFieldsDialog({ table: { id, fields, row_count }, onClose }: Props) {
  const t = useTexts().tables
  const queries = useQueryClient()
  const [drafts, setDrafts] = useState(() => withNewField([]))
  const [isTried, setIsTried] = useState(false)
  const others = fields.map(({ name }) => name)
  const add = useMutation({
    mutationFn: () =>
      api.call(allRoutes.addTableFields, { params: { id }, body: { fields: fieldsOfDrafts(drafts) } }),
    onSuccess: async () => {
      await readTablesAgain(queries)
      onClose()
    },
  })
  const mutate = () => {
    setIsTried(true)
    if (areFieldsComplete(drafts, others)) add.mutate()
  }
  return (
    <ConfirmDialog
      title={t.addFields}
      act={t.addFields}
      mutation={{ mutate, isPending: add.isPending, error: add.error }}
      onClose={onClose}
    >
      {row_count > 0 && <p>{t.noRequiredYet}</p>}
      <FieldRows
        drafts={drafts}
        others={others}
        isTried={isTried}
        canRequire={row_count === 0}
        onChange={setDrafts}
      />
    </ConfirmDialog>
  )
}
