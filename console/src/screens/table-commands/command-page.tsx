import type { TableCommand } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { commandOf, readCommandsAgain } from '../../data/authoring/tables.ts'
import { FinalAct } from '../../parts/final-act.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { TableScreen } from '../tables/table-screen.tsx'
import { draftOfCommand } from './command-draft.ts'
import { CommandForm } from './command-form.tsx'

/** A command of a table, to be changed or archived. */
export function CommandPage() {
  const t = useTexts().tables
  const { id, command: commandId } = useParams({ from: '/signed-in/tables/$id/commands/$command' })
  const command = useQuery(commandOf(commandId))
  if (isNotFound(command.error) || (command.data && command.data.state !== 'active')) return <NotFoundPage />
  return (
    <TableScreen
      id={id}
      title={command.data?.name ?? ''}
      parent="commands"
      actions={() => command.data && <ArchiveCommand command={command.data} />}
    >
      {({ fields }) => (
        <Panel query={command} rows={6}>
          {(shown) => (
            <CommandForm
              fields={fields}
              startsWith={draftOfCommand(shown)}
              act={t.save}
              save={(body) => api.call(allRoutes.updateTableCommand, { params: { id: commandId }, body })}
            />
          )}
        </Panel>
      )}
    </TableScreen>
  )
}

function ArchiveCommand({ command: { id, table_id, name } }: { command: TableCommand }) {
  const t = useTexts().tables
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <FinalAct
      icon="archive"
      act={t.archive}
      title={t.archiveNamed(name)}
      why={t.archiveCommandWhy}
      run={() => api.call(allRoutes.archiveTableCommand, { params: { id } })}
      onDone={async () => {
        await navigate({ to: '/tables/$id/commands', params: { id: table_id } })
        await readCommandsAgain(queries)
      }}
    />
  )
}
