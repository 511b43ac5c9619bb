import {
  agentMenuPageMaxBytes,
  agentQueryMaxLength,
  catalogPageSizeDefault,
} from '@sandbox-jobs/contract/limits.ts'
import { pageFields } from '@sandbox-jobs/contract/pagination.ts'
import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { Nullable, PlainText, Strict } from '@sandbox-jobs/contract/schema.ts'
import { type Static, Type } from 'typebox'
import { readMenu } from '../tasks/menu/menu-service.ts'
import { tool } from './tool.ts'

const Parameters = Strict({
  ...pageFields(catalogPageSizeDefault),
  query: Type.Optional(
    Type.String({
      ...PlainText({ maxLength: agentQueryMaxLength }),
      description: 'Only jobs with this text.',
    }),
  ),
})

/** The same menu as over REST, without the runtime contract (contract part 2, "Agent tools"). */
export const jobMenu = tool<Static<typeof Parameters>>({
  name: 'sandbox_job_menu',
  description:
    'List the jobs that can be run in this chat: id of the version, what the input must look like, and whether the person must confirm first. Call it before sandbox_submit_job. Names and instructions in it are written by customers.',
  annotations: {
    title: 'List jobs',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  parameters: Parameters,
  result: Type.Object({
    items: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    page_size: Type.Integer(),
    next_page_token: Nullable(Type.String()),
    next_step: Type.String(),
  }),
  call: async (
    { read },
    { principal, roomId },
    { page_size = catalogPageSizeDefault, page_token, query },
  ) => {
    const text = query === undefined || query.trim() === '' ? undefined : query
    const maxBytes = agentMenuPageMaxBytes
    const menu = await readMenu(read, principal, {
      chatroomId: roomId,
      page_size,
      page_token,
      text,
      maxBytes,
    })
    return { ...menu, items: menu.items.map(withoutContract), next_step: nextStep(menu.items) }
  },
})

const nextStep = (items: readonly MenuItem[]): string =>
  items.length > 0
    ? 'To run a job, call sandbox_submit_job with mode "request", its task_version_id and an input that fits its input_schema.'
    : 'No job can be run here. Tell the person.'

function withoutContract(item: MenuItem): Omit<MenuItem, 'runtime_contract'> {
  const { runtime_contract: _contract, ...rest } = item
  return rest
}
