package sandbox

import "net/http"

// refusal is an answer of the marketplace by which nothing happened.
type refusal struct {
	status  int
	code    string
	message string
	pickup  *object // the booking that is the reason, if one is
}

func refuse(status int, code, message string) *refusal {
	return &refusal{status: status, code: code, message: message}
}

// malformed refuses a request whose form is wrong.
func malformed(message string) *refusal {
	return refuse(http.StatusBadRequest, "invalid_request", message)
}

// invalid refuses a well-formed value that the marketplace cannot take.
func invalid(code, message string) *refusal {
	return refuse(http.StatusUnprocessableEntity, code, message)
}

// unknown refuses an id that names nothing; what is "order", "item" and so on.
func unknown(what string) *refusal {
	return refuse(http.StatusNotFound, "unknown_"+what, "there is no such "+what)
}

func (r *refusal) Error() string { return r.code + ": " + r.message }

type errorBody struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Pickup *object `json:"pickup,omitempty"`
}

func (r *refusal) answer() answer {
	body := errorBody{Pickup: r.pickup}
	body.Error.Code, body.Error.Message = r.code, r.message
	return answer{status: r.status, body: body}
}

func serverError() answer {
	return refuse(http.StatusInternalServerError, "server_error", "something went wrong at the provider").answer()
}
