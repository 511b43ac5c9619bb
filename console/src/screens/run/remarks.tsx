import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../../data/api/queries.ts'
import { Icon } from '../../design/icon.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import styles from './outcome.module.css'

/** Facts that the author of the run should know although it may have completed. */
export function Remarks({ run }: { run: ExtendedRun }) {
  const { data } = useQuery(
    apiQuery(allRoutes.readRunRemarks, { params: { cid: run.chatroom_id, rid: run.id } }),
  )
  return data?.remarks.map(({ code, message }) => (
    <p key={code} className={styles.box} data-tone="warning" lang="en">
      <Icon name="warning" />
      <TenantText text={message} />
    </p>
  ))
}
