import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { lazy, Suspense } from 'react'
import { Skeleton } from '../../parts/panel.tsx'
import { loadTab } from './load-tab.ts'
import type { RunTab } from './tabs.ts'

const contents = {
  result: lazy(loadTab.result),
  log: lazy(loadTab.log),
  files: lazy(loadTab.files),
  input: lazy(loadTab.input),
  network: lazy(loadTab.network),
  usage: lazy(loadTab.usage),
}

export function TabContent({ tab, run }: { tab: RunTab; run: ExtendedRun }) {
  const Content = contents[tab]
  return (
    <Suspense fallback={<Skeleton rows={6} />}>
      <Content run={run} />
    </Suspense>
  )
}
