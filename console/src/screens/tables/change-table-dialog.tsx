import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readTablesAgain } from '../../data/authoring/tables.ts'
import { DescriptionField } from '../../parts/description-field.tsx'
import { NameDialog } from '../../parts/name-dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { FlagBoxes } from './flag-boxes.tsx'

interface Props {
  table: CustomTable
  onClose: () => void
}

/** Name, description and rules of a table. */
export function ChangeTableDialog({ table, onClose }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const [description, setDescription] = useState(table.description)
  const [flags, setFlags] = useState({
    commands_only: table.commands_only,
    channel_rule: table.channel_rule,
  })
  const change = useMutation({
    mutationFn: (name: string) =>
      api.call(allRoutes.updateTable, { params: { id: table.id }, body: { name, description, ...flags } }),
    onSuccess: async () => {
      await readTablesAgain(queries)
      onClose()
    },
  })
  return (
    <NameDialog
      title={t.tables.change}
      act={t.tables.save}
      before={table.name}
      mutation={change}
      onClose={onClose}
    >
      <DescriptionField value={description} onValue={setDescription} />
      <FlagBoxes flags={flags} canChangeRule={table.row_count === 0} onChange={setFlags} />
    </NameDialog>
  )
}
