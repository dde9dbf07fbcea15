#pragma once

// libpq, which speaks with servers of PostgreSQL. Debian keeps its header in a folder of its own, and others do not.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
#include <dlfcn.h>

/// What is used of libpq, of the types that its header declares.
///
/// The library is loaded when a hub in PostgreSQL is opened, and is not linked: it brings some twenty other libraries, among them
/// those of Kerberos and LDAP, which no other use of Keepsake is to wait for or to need.
struct keepsake_postgres_library {
  __typeof__(PQclear) *clear;
  __typeof__(PQcmdStatus) *cmdStatus;
  __typeof__(PQconnectdbParams) *connectdbParams;
  __typeof__(PQconninfoFree) *conninfoFree;
  __typeof__(PQconninfoParse) *conninfoParse;
  __typeof__(PQconsumeInput) *consumeInput;
  __typeof__(PQerrorMessage) *errorMessage;
  __typeof__(PQfinish) *finish;
  __typeof__(PQflush) *flush;
  __typeof__(PQfreemem) *freemem;
  __typeof__(PQgetResult) *getResult;
  __typeof__(PQgetisnull) *getisnull;
  __typeof__(PQgetlength) *getlength;
  __typeof__(PQgetvalue) *getvalue;
  __typeof__(PQisBusy) *isBusy;
  __typeof__(PQnfields) *nfields;
  __typeof__(PQntuples) *ntuples;
  __typeof__(PQreset) *reset;
  __typeof__(PQresultErrorField) *resultErrorField;
  __typeof__(PQresultStatus) *resultStatus;
  __typeof__(PQsendPrepare) *sendPrepare;
  __typeof__(PQsendQuery) *sendQuery;
  __typeof__(PQsendQueryParams) *sendQueryParams;
  __typeof__(PQsendQueryPrepared) *sendQueryPrepared;
  __typeof__(PQsetErrorVerbosity) *setErrorVerbosity;
  __typeof__(PQsetNoticeReceiver) *setNoticeReceiver;
  __typeof__(PQsetSingleRowMode) *setSingleRowMode;
  __typeof__(PQsetnonblocking) *setnonblocking;
  __typeof__(PQsocket) *socket;
  __typeof__(PQstatus) *status;
  // Libraries before version 14 lack these, and their header does not declare them.
  int (*enterPipelineMode)(PGconn *);
  int (*exitPipelineMode)(PGconn *);
  int (*pipelineSync)(PGconn *);
};

/// Loads the library; 0 where there is none, or one that lacks something.
static inline int keepsake_postgres_load(struct keepsake_postgres_library *library) {
  void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEEPSAKE_POSTGRES_FIND(name) \
  if (!(library->name = (__typeof__(library->name))dlsym(handle, "PQ" #name))) return 0;
  KEEPSAKE_POSTGRES_FIND(clear)
  KEEPSAKE_POSTGRES_FIND(cmdStatus)
  KEEPSAKE_POSTGRES_FIND(connectdbParams)
  KEEPSAKE_POSTGRES_FIND(conninfoFree)
  KEEPSAKE_POSTGRES_FIND(conninfoParse)
  KEEPSAKE_POSTGRES_FIND(consumeInput)
  KEEPSAKE_POSTGRES_FIND(errorMessage)
  KEEPSAKE_POSTGRES_FIND(finish)
  KEEPSAKE_POSTGRES_FIND(flush)
  KEEPSAKE_POSTGRES_FIND(freemem)
  KEEPSAKE_POSTGRES_FIND(getResult)
  KEEPSAKE_POSTGRES_FIND(getisnull)
  KEEPSAKE_POSTGRES_FIND(getlength)
  KEEPSAKE_POSTGRES_FIND(getvalue)
  KEEPSAKE_POSTGRES_FIND(isBusy)
  KEEPSAKE_POSTGRES_FIND(nfields)
  KEEPSAKE_POSTGRES_FIND(ntuples)
  KEEPSAKE_POSTGRES_FIND(reset)
  KEEPSAKE_POSTGRES_FIND(resultErrorField)
  KEEPSAKE_POSTGRES_FIND(resultStatus)
  KEEPSAKE_POSTGRES_FIND(sendPrepare)
  KEEPSAKE_POSTGRES_FIND(sendQuery)
  KEEPSAKE_POSTGRES_FIND(sendQueryParams)
  KEEPSAKE_POSTGRES_FIND(sendQueryPrepared)
  KEEPSAKE_POSTGRES_FIND(setErrorVerbosity)
  KEEPSAKE_POSTGRES_FIND(setNoticeReceiver)
  KEEPSAKE_POSTGRES_FIND(setSingleRowMode)
  KEEPSAKE_POSTGRES_FIND(setnonblocking)
  KEEPSAKE_POSTGRES_FIND(socket)
  KEEPSAKE_POSTGRES_FIND(status)
#undef KEEPSAKE_POSTGRES_FIND
  library->enterPipelineMode = (int (*)(PGconn *))dlsym(handle, "PQenterPipelineMode");
  library->exitPipelineMode = (int (*)(PGconn *))dlsym(handle, "PQexitPipelineMode");
  library->pipelineSync = (int (*)(PGconn *))dlsym(handle, "PQpipelineSync");
  return 1;
}

// What a library of version 14 or later says between the answers to statements that were sent together.
static const unsigned int keepsake_postgres_together_end = 10;
static const unsigned int keepsake_postgres_together_aborted = 11;

// The fields of an error, which the header gives as characters that are not imported as such.
static const int keepsake_postgres_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int keepsake_postgres_state = PG_DIAG_SQLSTATE;
static const int keepsake_postgres_message = PG_DIAG_MESSAGE_PRIMARY;
