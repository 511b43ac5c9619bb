import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readTasksAgain } from '../../data/authoring/tasks.ts'
import links from '../../parts/button.module.css'
import { Button } from '../../parts/button.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { PublishDialog } from './publish-dialog.tsx'

/** The acts that are possible on a version now, for who manages its task. */
export function VersionActions({ version }: { version: TaskVersion }) {
  const t = useTexts()
  const queries = useQueryClient()
  const [isPublishing, setIsPublishing] = useState(false)
  const params = { id: version.task_id, vid: version.id }
  return (
    <>
      {version.state === 'draft' && (
        <>
          <Link to="/tasks/$id/versions/$vid/edit" params={params} className={links.button}>
            {t.tasks.edit}
          </Link>
          <Button kind="filled" onPress={() => setIsPublishing(true)}>
            {t.tasks.publish}
          </Button>
        </>
      )}
      {version.state !== 'archived' && (
        <FinalAct
          icon="archive"
          act={t.tasks.archive}
          title={t.tasks.archive}
          why={t.tasks.archiveWhy}
          run={() => api.call(allRoutes.archiveTaskVersion, { params })}
          onDone={() => readTasksAgain(queries)}
        />
      )}
      {isPublishing && <PublishDialog version={version} onClose={() => setIsPublishing(false)} />}
    </>
  )
}
