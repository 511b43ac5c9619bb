export { BaseImage, BaseImageList } from './base-image.ts'
export { BuildAttempt, BuildAttemptCreateRequest, BuildAttemptList } from './build-attempt.ts'
export { BuildDetails, BuildStageRecord, FailedInstruction } from './build-details.ts'
export { BuildNetwork, ReachedHost } from './build-network.ts'
export { Envelope, ImageSignature, ImageSignatureList, SigningKey, SigningKeyList } from './provenance.ts'
export { ScanReport } from './scan-report.ts'
export {
  ScanFinding,
  SecurityException,
  SecurityExceptionCreateRequest,
  SecurityExceptionList,
  SecurityFinding,
  SecurityFindingList,
} from './security-finding.ts'
