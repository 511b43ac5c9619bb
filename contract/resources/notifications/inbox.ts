import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleDigest } from '../../digest.ts'
import { BindingId, ChatroomId, TaskId, TaskVersionId, WebhookId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { inboxItemsMax } from '../../limits.ts'
import { Count, DateTime, Ordinal, Strict } from '../../schema.ts'
import { Proposal } from '../agents/proposal.ts'
import { Scope } from '../companies/owner-scope.ts'
import { SlotPolicy } from '../tasks/secret-slot.ts'

const item = <const Kind extends string>(name: Kind, description: string) => ({
  id: about(
    'The same while the item waits.',
    Type.String(),
    `${name}:${exampleId(name === 'proposal' ? 'agentProposal' : 'binding')}`,
  ),
  kind: about(description, Type.Literal(name)),
  since: about('Since when it waits.', DateTime),
  path: about(
    'Where the console shows it, below the address of the service.',
    Type.String(),
    '/console/inbox',
  ),
})

const ofTask = {
  chatroom_id: ChatroomId,
  chatroom_name: about('Name of the room.', Type.String(), 'Sales'),
  task_id: TaskId,
  task_name: about('Name of the task.', Type.String(), 'Sales report'),
}

const ofBinding = { ...ofTask, binding_id: BindingId, task_version_id: TaskVersionId }
const slotName = about('Name of the environment variable.', Type.String(), 'API_TOKEN')

const InboxItem = Type.Union([
  Type.Object({
    ...item('proposal', 'An agent proposed a job to the caller: confirm or reject it.'),
    ...ofTask,
    proposal: about('The proposed job.', Proposal),
  }),
  Type.Object({
    ...item('secret_missing', 'An enabled job of a room cannot run: a secret has no value.'),
    ...ofBinding,
    slot_name: slotName,
    policy: about('Supplier of the value, as the share says.', SlotPolicy),
  }),
  Type.Object({
    ...item(
      'secret_approval',
      'An enabled job of a room cannot run: its version may not use the secrets yet.',
    ),
    ...ofBinding,
    task_version_digest: about('Digest of the version.', Type.String(), exampleDigest),
    consumer_scope: about('Kind of the consumer whose secrets they are.', Scope, 'chatroom'),
    consumer_id: about('Identifier of the consumer.', Type.String(), exampleId('chatroom')),
    slot_names: about('The slots to approve, all and no others.', Type.Array(slotName)),
  }),
  Type.Object({
    ...item('version_update', 'A newer version of an enabled job is published: accept it or leave it.'),
    ...ofBinding,
    version_number: about('Number of the pinned version.', Ordinal, 3),
    newest_version_id: TaskVersionId,
    newest_version_number: about('Number of the published version.', Ordinal, 4),
  }),
  Type.Object({
    ...item('webhook_paused', 'A webhook of the company gets no events any more, because it failed.'),
    webhook_id: WebhookId,
    url: about('Its address.', Type.String(), 'https://example.org/hook'),
    paused_because: about('Why: `gone` or `failing`.', Type.String(), 'failing'),
  }),
])
export type InboxItem = Static<typeof InboxItem>

/** Decisions that wait for the caller. An item goes away with its cause, whoever acted. */
export const Inbox = Type.Object({
  items: about(
    'Items that end by themselves first, then those that wait longest.',
    Type.Array(InboxItem, { maxItems: inboxItemsMax }),
  ),
  count: about(`Items, also those beyond the first ${inboxItemsMax}.`, Count, 2),
  is_complete: about(
    'False where the caller manages too many jobs to look at all of them.',
    Type.Boolean(),
    true,
  ),
})
export type Inbox = Static<typeof Inbox>

export const ReadAllRequest = Strict({
  before: about('Notifications of that time and before are read; later ones are not.', DateTime),
})
export type ReadAllRequest = Static<typeof ReadAllRequest>

export const UnreadCount = Type.Object({
  unread: about('Notifications that are still not read.', Count, 0),
})
export type UnreadCount = Static<typeof UnreadCount>
