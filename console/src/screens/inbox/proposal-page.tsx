import type { Proposal } from '@sandbox-jobs/contract/resources/agents/proposal.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { inputOfProposal, proposalOf } from '../../data/person/inbox.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { TextBlock } from '../../parts/text-block.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { Decision } from './decision.tsx'
import styles from './inbox.module.css'
import { TimeLeft } from './time-left.tsx'

/** A job that an agent proposed, as its stored bytes say, and what became of it. */
export function ProposalPage() {
  const t = useTexts()
  const { pid } = useParams({ from: '/signed-in/inbox/proposals/$pid' })
  const proposal = useQuery(proposalOf(pid))
  useTrail([{ text: t.inbox.title, to: '/inbox/todo' }])
  if (isNotFound(proposal.error)) return <NotFoundPage />
  return (
    <Page title={t.inbox.proposal}>
      <Panel query={proposal}>{(shown) => <Shown proposal={shown} />}</Panel>
    </Page>
  )
}

function Shown({ proposal }: { proposal: Proposal }) {
  const t = useTexts()
  const formats = useFormats()
  const room = useRoom(proposal.chatroom_id)
  const isPending = proposal.state === 'prepared'
  return (
    <div className={styles.proposal}>
      <Facts>
        <Fact name={t.inbox.state}>
          <StateBadge machine="agent_proposal" state={proposal.state} />
        </Fact>
        <Fact name={t.inbox.room}>
          {room && (
            <Link to="/chatrooms/$cid" params={{ cid: room.id }}>
              <TenantText text={room.name} />
            </Link>
          )}
        </Fact>
        <Fact name={t.inbox.proposed}>
          <Moment at={proposal.created_at} />
        </Fact>
        <Fact name={t.inbox.stopsAfter}>{formats.duration(proposal.timeout_seconds * 1000)}</Fact>
        <Fact name={t.inbox.decideUntil}>{isPending && <TimeLeft until={proposal.expires_at} />}</Fact>
        <Fact name={t.inbox.ended}>{proposal.ended_at && <Moment at={proposal.ended_at} />}</Fact>
        <Fact name={t.inbox.run}>
          {proposal.run_id && (
            <Link to="/chatrooms/$cid/runs/$rid" params={{ cid: proposal.chatroom_id, rid: proposal.run_id }}>
              {t.inbox.openRun}
            </Link>
          )}
        </Fact>
      </Facts>
      <TextBlock label={t.inbox.summary} text={proposal.summary} />
      {isPending && <ExactInput pid={proposal.id} />}
      {isPending && <Decision proposal={proposal} />}
    </div>
  )
}

function ExactInput({ pid }: { pid: string }) {
  const t = useTexts()
  const input = useQuery(inputOfProposal(pid))
  return (
    <section className={styles.part}>
      <h2>{t.inbox.exactInput}</h2>
      <Panel query={input} rows={2}>
        {(text) => <TextBlock label={t.inbox.exactInput} text={text} />}
      </Panel>
    </section>
  )
}
