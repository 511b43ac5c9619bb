import { describe, expect, it } from 'vitest'
import { slotSetHash } from '../approvals/slot-set-hash.ts'
import { type ActiveApproval, type Candidate, resolveSlots, type SlotTerms } from './slot-resolution.ts'

const terms = (changes: Partial<SlotTerms> = {}): SlotTerms => ({
  companyId: 'cmp',
  taskId: 'tsk',
  owner: { scope: 'department', id: 'dep_owner' },
  digest: 'sha256:1',
  room: { id: 'roo', departmentId: 'dep' },
  slots: ['A'],
  policies: null,
  ...changes,
})
const consumers = {
  room: { consumerScope: 'chatroom', consumerId: 'roo' },
  department: { consumerScope: 'department', consumerId: 'dep' },
  company: { consumerScope: 'company', consumerId: 'cmp' },
  owner: { consumerScope: 'department', consumerId: 'dep_owner' },
}
type Name = keyof typeof consumers
const secret = (of: Name, slotName = 'A', generation = 1): Candidate => ({
  id: `${of}-${slotName}`,
  ...consumers[of],
  slotName,
  generation,
})
const approval = (of: Name, slots = ['A']): ActiveApproval => ({
  id: `approval-${of}`,
  ...consumers[of],
  slotSetHash: slotSetHash(slots),
  isOfVersion: true,
})
const all: Name[] = ['room', 'department', 'company', 'owner']
const approvals = all.map((of) => approval(of))

/** Which of the given secrets the slot gets. */
const gets = (policy: string | undefined, given: Name[]) => {
  const policies = policy === undefined ? null : { A: policy }
  const resolution = resolveSlots(
    terms({ policies }),
    given.map((of) => secret(of)),
    approvals,
  )
  return resolution.kind === 'resolved'
    ? [resolution.pins.A?.secretId, resolution.pins.A?.resolvedVia]
    : resolution
}

describe('whose value a slot gets', () => {
  it.each([
    ['borrower', all, ['room-A', 'borrower']],
    ['borrower', ['department', 'company', 'owner'], ['department-A', 'borrower']],
    ['borrower', ['company', 'owner'], ['company-A', 'borrower']],
    ['borrower', ['owner'], { kind: 'missing', slot: 'A', setBy: 'borrower' }],
    [undefined, all, ['room-A', 'borrower']],
    [undefined, ['owner'], { kind: 'missing', slot: 'A', setBy: 'borrower' }],
    ['owner', all, ['owner-A', 'owner']],
    ['owner', ['room', 'department', 'company'], { kind: 'missing', slot: 'A', setBy: 'owner' }],
    ['owner_overridable', all, ['room-A', 'borrower']],
    ['owner_overridable', ['company', 'owner'], ['company-A', 'borrower']],
    ['owner_overridable', ['owner'], ['owner-A', 'owner']],
    ['owner_overridable', [], { kind: 'missing', slot: 'A', setBy: 'borrower' }],
  ] as [string | undefined, Name[], unknown][])('%s with values of %j', (policy, given, expected) => {
    expect(gets(policy, given)).toEqual(expected)
  })

  it('has no policy by the name of what every object has', () => {
    const resolution = resolveSlots(terms({ slots: ['constructor'], policies: {} }), [], [])
    expect(resolution).toEqual({ kind: 'missing', slot: 'constructor', setBy: 'borrower' })
  })
})

describe('approvals', () => {
  const two = terms({ slots: ['A', 'B'] })
  const ofRoom = [secret('room'), secret('room', 'B')]

  it('name the slots of their consumer, all of them and no others', () => {
    const resolved = (slots: string[]) => resolveSlots(two, ofRoom, [approval('room', slots)]).kind
    expect(resolved(['B', 'A'])).toBe('resolved')
    for (const slots of [['A'], ['B'], ['A', 'B', 'C'], []]) expect(resolved(slots)).toBe('unapproved')
    expect(resolveSlots(two, ofRoom, [approval('department', ['A', 'B'])])).toEqual({
      kind: 'unapproved',
      ...consumers.room,
      slots: ['A', 'B'],
    })
  })

  it('are one for each consumer that supplies something', () => {
    const mixed = [secret('room'), secret('company', 'B')]
    expect(resolveSlots(two, mixed, [approval('room')])).toMatchObject({
      kind: 'unapproved',
      ...consumers.company,
    })
    const both = [approval('room'), approval('company', ['B'])]
    expect(resolveSlots(two, mixed, both)).toMatchObject({
      kind: 'resolved',
      pins: { A: { approvalId: 'approval-room' }, B: { approvalId: 'approval-company' } },
    })
  })

  it('are not needed for what the owner supplies, as owner or as a borrower of its own task', () => {
    expect(resolveSlots(terms({ policies: { A: 'owner' } }), [secret('owner')], [])).toMatchObject({
      pins: { A: { approvalId: null } },
    })
    const own = terms({ owner: { scope: 'department', id: 'dep' } })
    expect(resolveSlots(own, [secret('department')], [])).toMatchObject({
      pins: { A: { resolvedVia: 'borrower', approvalId: null } },
    })
  })

  it('count only the slots that the borrower supplies', () => {
    const policies = { B: 'owner' }
    const given = [secret('room'), secret('owner', 'B'), secret('room', 'B')]
    expect(resolveSlots({ ...two, policies }, given, [approval('room')])).toMatchObject({
      pins: { A: { resolvedVia: 'borrower' }, B: { resolvedVia: 'owner', secretId: 'owner-B' } },
    })
  })
})
