// Node's three OTLP exporters: node ask_exporters.mjs rag, exporter (proto, json, grpc) in INSTRUMENTATION.
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { FERRY, INPUT_TOKENS, MODEL, OUTPUT_TOKENS } from './scenario.mjs'

const packages = { proto: 'proto', json: 'http', grpc: 'grpc' }
const { OTLPTraceExporter } = await import(`@opentelemetry/exporter-trace-otlp-${packages[process.env.INSTRUMENTATION]}`)
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
})
provider.register()
const tracer = trace.getTracer('ferry-site')
const said = (role, content) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])

tracer.startActiveSpan('ask', { attributes: { 'gen_ai.operation.name': 'invoke_workflow' } }, root => {
  tracer.startActiveSpan('retrieval site', search => {
    search.setAttributes({
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': FERRY.question,
      'gen_ai.retrieval.documents': JSON.stringify(FERRY.passages.map(([id, content, score]) => ({ id, content, score }))),
    })
    search.end()
  })
  tracer.startActiveSpan(`chat ${MODEL}`, chat => {
    chat.setAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': MODEL,
      'gen_ai.input.messages': said('user', FERRY.question),
      'gen_ai.output.messages': said('assistant', FERRY.answer),
      'gen_ai.usage.input_tokens': INPUT_TOKENS,
      'gen_ai.usage.output_tokens': OUTPUT_TOKENS,
    })
    chat.setStatus({ code: SpanStatusCode.OK })
    chat.end()
  })
  root.end()
})
await provider.forceFlush()
await provider.shutdown()
