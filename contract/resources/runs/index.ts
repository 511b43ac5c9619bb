export {
  ExtendedRun,
  ExtendedRunList,
  ExtendedSubmitRequest,
  RunFile,
  RunFileRequest,
  RunMetadata,
} from './extended-run.ts'
export { CancelledRuns, CancelRunsRequest, FoundRunList } from './found-run.ts'
export { InputFile, InputFileList } from './input-file.ts'
export { BuildLogEvent, RunLogEvent } from './log-event.ts'
export { NetworkLog, RefusedConnection } from './network-log.ts'
export { OutputPolicy } from './output-policy.ts'
export { ArtifactPublicLink, PublicLink } from './public-link.ts'
export { QuickRun, QuickRunRequest, SessionQuickRunRequest } from './quick-run.ts'
export { LastRun, RoomOverview, RoomOverviewList } from './room-overview.ts'
export { ManualRunSubmitRequest, RunDetail, RunList, RunRetryRequest } from './run.ts'
export { ArtifactDownloadCapability, RunArtifact, RunArtifactList } from './run-artifact.ts'
export { RunContent } from './run-content.ts'
export { RunEstimate } from './run-estimate.ts'
export { RunRemark, RunRemarks } from './run-remark.ts'
export { InlineOutput, RunAndWaitRequest, RunResult } from './run-result.ts'
export { RunStatistics } from './run-statistics.ts'
export { RunUsage } from './run-usage.ts'
export { RunLink, RunLinkList, SignedLinkCreateRequest } from './signed-link.ts'
export { BuildStateEvent, RunStateEvent } from './state-event.ts'
export { VisibleRun, VisibleRunList } from './visible-run.ts'
