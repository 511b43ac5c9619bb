import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useParams } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TableScreen } from '../tables/table-screen.tsx'
import { emptyCommand } from './command-draft.ts'
import { CommandForm } from './command-form.tsx'

/** A new command of a table. */
export function NewCommandPage() {
  const t = useTexts().tables
  const { id } = useParams({ from: '/signed-in/tables/$id/commands/new' })
  return (
    <TableScreen id={id} title={t.newCommand} parent="commands">
      {({ fields }) => (
        <CommandForm
          fields={fields}
          startsWith={emptyCommand}
          act={t.newCommand}
          save={(body) => api.call(allRoutes.createTableCommand, { params: { id }, body })}
        />
      )}
    </TableScreen>
  )
}
