import type { ExtendedSubmitRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { useIntentKey } from '../../data/intent-key.ts'

/** Submits a run and goes to its page. */
export function useSubmitRun(cid: string) {
  const navigate = useNavigate()
  const keyOf = useIntentKey()
  return useMutation({
    mutationFn: (body: ExtendedSubmitRequest) =>
      api.call(allRoutes.submitExtendedRun, { params: { cid }, body, idempotencyKey: keyOf(body) }),
    onSuccess: ({ id }) => navigate({ to: '/chatrooms/$cid/runs/$rid', params: { cid, rid: id } }),
  })
}
