export {
  ContextObject,
  ContextObjectList,
  ContextUploadComplete,
  ContextUploadCompleteRequest,
  ContextUploadInit,
  ContextUploadInitRequest,
  ContextUploadPut,
  ContextUploadSession,
} from './context-upload.ts'
export { Egress, EgressAllowList, EgressRequest } from './egress.ts'
export {
  Environment,
  EnvironmentCreateRequest,
  EnvironmentList,
  EnvironmentUpdateRequest,
} from './environment.ts'
export { EnvironmentOverview, EnvironmentOverviewList } from './environment-overview.ts'
export {
  EnvironmentVersion,
  EnvironmentVersionCreateRequest,
  EnvironmentVersionList,
} from './environment-version.ts'
export { KeptVersion, KeptVersionList } from './kept-version.ts'
export { Profile, ProfileSet } from './profile.ts'
export { Region, RegionSet } from './region.ts'
export { RuntimeContract } from './runtime-contract.ts'
export { VersionBuildCache, VersionBuildCacheRequest } from './version-build-cache.ts'
export { VersionIsolation, VersionIsolationRequest } from './version-isolation.ts'
