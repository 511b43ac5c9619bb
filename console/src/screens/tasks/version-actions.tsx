import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readTasksAgain } from '../../data/authoring/tasks.ts'
import links from '../../parts/button.module.css'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { PublishDialog } from './publish-dialog.tsx'

/** The acts that are possible on a version now, for who manages its task. */
export function VersionActions({ version }: { version: TaskVersion }) {
  const t = useTexts()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'publish' | 'archive' | undefined>()
  const params = { id: version.task_id, vid: version.id }
  const archive = useMutation({
    mutationFn: () => api.call(allRoutes.archiveTaskVersion, { params }),
    onSuccess: async () => {
      await readTasksAgain(queries)
      setAsked(undefined)
    },
  })
  const close = () => setAsked(undefined)
  return (
    <>
      {version.state === 'draft' && (
        <>
          <Link to="/tasks/$id/versions/$vid/edit" params={params} className={links.button}>
            {t.tasks.edit}
          </Link>
          <Button kind="filled" onPress={() => setAsked('publish')}>
            {t.tasks.publish}
          </Button>
        </>
      )}
      {version.state !== 'archived' && (
        <Button icon="archive" onPress={() => setAsked('archive')}>
          {t.tasks.archive}
        </Button>
      )}
      {asked === 'publish' && <PublishDialog version={version} onClose={close} />}
      {asked === 'archive' && (
        <ConfirmDialog
          title={t.tasks.archive}
          act={t.tasks.archive}
          isDanger
          mutation={archive}
          onClose={close}
        >
          <p>{t.tasks.archiveWhy}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
