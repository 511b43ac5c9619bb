import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../data/api/api.ts'
import { bindingsOf, readTasksAgain, taskVersionsOf } from '../../data/authoring/tasks.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './tasks.module.css'
import { UserChangeList } from './user-change-list.tsx'

/** Says what a published draft changes for its users, and asks before it is published. */
export function PublishDialog({ version, onClose }: { version: TaskVersion; onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const versions = useQuery(taskVersionsOf(version.task_id))
  const bindings = useQuery(bindingsOf(version.task_id))
  const publish = useMutation({
    mutationFn: () =>
      api.call(allRoutes.publishTaskVersion, { params: { id: version.task_id, vid: version.id } }),
    onSuccess: async () => {
      await readTasksAgain(queries)
      onClose()
    },
  })
  return (
    <ConfirmDialog title={t.tasks.publish} act={t.tasks.publish} mutation={publish} onClose={onClose}>
      <p>{t.tasks.publishWhy}</p>
      {version.secret_slot_names.length > 0 && (
        <p>{t.tasks.publishSecrets(version.secret_slot_names.join(', '))}</p>
      )}
      <Panel query={bindings} rows={1}>
        {(rooms) => <p>{t.taskChanges.rooms(rooms.filter(({ state }) => state === 'enabled').length)}</p>}
      </Panel>
      <Panel query={versions}>
        {(all) => {
          const before = all.findLast(({ state }) => state === 'published')
          if (before === undefined) return <p>{t.taskChanges.first}</p>
          return (
            <section className={styles.part}>
              <h3>{t.taskChanges.since(before.version_number)}</h3>
              <UserChangeList before={before} after={version} />
            </section>
          )
        }}
      </Panel>
    </ConfirmDialog>
  )
}
