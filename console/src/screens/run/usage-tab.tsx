import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../../data/api/queries.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'

/** The resources that the run used. */
export default function UsageTab({ run }: { run: ExtendedRun }) {
  const { usage: t } = useTexts().run
  const formats = useFormats()
  const usage = useQuery(apiQuery(allRoutes.readRunUsage, { params: { cid: run.chatroom_id, rid: run.id } }))
  return (
    <Panel query={usage}>
      {({ peak_memory_bytes: peak, memory_limit_bytes: limit, cpu_ms: cpu, ...used }) => (
        <Facts>
          <Fact name={t.memory}>
            {peak === null ? t.unknown : t.ofMemory(formats.bytes(peak), formats.bytes(limit))}
          </Fact>
          <Fact name={t.processor}>{cpu === null ? t.unknown : formats.duration(cpu)}</Fact>
          <Fact name={t.received}>{formats.bytes(used.ingress_bytes)}</Fact>
          <Fact name={t.sent}>{formats.bytes(used.egress_bytes)}</Fact>
          <Fact name={t.started}>{used.started_at && <Moment at={used.started_at} />}</Fact>
          <Fact name={t.ended}>{used.terminal_at && <Moment at={used.terminal_at} />}</Fact>
        </Facts>
      )}
    </Panel>
  )
}
