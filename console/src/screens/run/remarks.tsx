import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../../data/api/queries.ts'
import { TenantText } from '../../parts/tenant-text.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'

/** Facts that the author of the run should know although it may have completed. */
export function Remarks({ run }: { run: ExtendedRun }) {
  const { data } = useQuery(
    apiQuery(allRoutes.readRunRemarks, { params: { cid: run.chatroom_id, rid: run.id } }),
  )
  return data?.remarks.map(({ code, message }) => (
    <ToneBox key={code} tone="warning" icon="warning">
      <p lang="en">
        <TenantText text={message} />
      </p>
    </ToneBox>
  ))
}
