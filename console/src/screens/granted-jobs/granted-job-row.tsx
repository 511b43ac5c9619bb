import type { GrantedJob } from '@sandbox-jobs/contract/resources/tasks/granted-job.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../data/api/api.ts'
import { readJobsAgain } from '../../data/rooms/granted-jobs.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** A task that is shared with the room: enabled or not, and whether a newer version waits. */
export function GrantedJobRow({ cid, job }: { cid: string; job: GrantedJob }) {
  const t = useTexts()
  const queries = useQueryClient()
  const readAgain = () => readJobsAgain(queries)
  const enable = useMutation({
    mutationFn: () => api.call(allRoutes.enableGrantedJob, { params: { cid, tid: job.task_id } }),
    onSuccess: readAgain,
  })
  const accept = useMutation({
    mutationFn: () =>
      api.call(allRoutes.acceptBindingVersion, {
        params: { id: job.binding_id ?? '' },
        body: { task_version_id: job.current_published_version_id ?? '' },
      }),
    onSuccess: readAgain,
  })
  const error = enable.error ?? accept.error
  const slots = job.secret_slots.map(({ name }) => name).join(', ')
  return (
    <li>
      <div className={rows.words}>
        <TenantText text={job.task_name} />
        <span className={rows.detail}>
          {job.enabled ? t.grantedJobs.enabled : t.grantedJobs.notEnabled}
          {slots !== '' && <span>{t.grantedJobs.needs(slots)}</span>}
          {job.update_available && <span>{t.room.newerVersion}</span>}
        </span>
      </div>
      {job.enabled && job.update_available && (
        <Button isBusy={accept.isPending} onPress={() => accept.mutate()}>
          {t.grantedJobs.accept}
        </Button>
      )}
      {job.enabled ? (
        <FinalAct
          label={t.grantedJobs.disableNamed(job.task_name)}
          act={t.grantedJobs.disable}
          title={t.grantedJobs.disableNamed(job.task_name)}
          why={t.grantedJobs.disableWhy}
          run={() => api.call(allRoutes.disableGrantedJob, { params: { cid, tid: job.task_id } })}
          onDone={readAgain}
        />
      ) : (
        job.current_published_version_id !== null && (
          <Button
            label={t.grantedJobs.enableNamed(job.task_name)}
            isBusy={enable.isPending}
            onPress={() => enable.mutate()}
          >
            {t.grantedJobs.enable}
          </Button>
        )
      )}
      {error && <ErrorBox error={error} />}
    </li>
  )
}
